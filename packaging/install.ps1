# Installs deckhand into %LOCALAPPDATA%\Programs\deckhand, and puts that folder on the user's PATH.
$ErrorActionPreference = "Stop"
$folder = Join-Path $env:LOCALAPPDATA "Programs\deckhand"
$new = Join-Path $folder "deckhand.new.exe"
New-Item -ItemType Directory -Force $folder | Out-Null
Invoke-WebRequest "@HOMEPAGE@/releases/download/v@VERSION@/deckhand-windows-x64.exe" -OutFile $new
if ((Get-FileHash $new -Algorithm SHA256).Hash -ne "@SHA256 windows-x64.exe@") {
  Remove-Item $new
  throw "The download is not what was released: nothing was installed. Try again."
}
Move-Item -Force $new (Join-Path $folder "deckhand.exe")
$path = [Environment]::GetEnvironmentVariable("Path", "User")
if (($path -split ";") -notcontains $folder) { [Environment]::SetEnvironmentVariable("Path", "$path;$folder", "User") }
Write-Output "Installed deckhand in $folder. Open a new terminal to use it."
